// Service of several processes for processes.spec.ts. It answers with its process and with state that all processes share.
import { Module } from '@nestjs/common';

const built = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { adminPort, RAW_HTTP, registerCounter, sharedSettings } = await built('index.js');
const { runService, ServiceKitModule } = await built('nest/index.js');

class AppModule {}
Module({})(AppModule);

function rawOf({ processes, logger }) {
  const counts = { requests: 0 };
  const heard = [];
  let isLeading = false;
  processes.subscribe('word', (word) => heard.push(word));
  processes.whenLeading(() => {
    isLeading = true;
    logger.info({ pid: process.pid }, 'leads');
  });
  const answers = {
    '/': async () => ({ pid: process.pid, isLeading, heard }),
    '/count': () => processes.call('count'),
    '/unknown': () => processes.call('unknown').catch(({ code, message }) => ({ code, message })),
  };
  return {
    handleRequest(request, response) {
      counts.requests++;
      if (request.url.startsWith('/say/')) processes.publish('word', request.url.slice(5), { keep: 2 });
      if (request.url === '/crash') process.exit(7);
      if (request.url === '/throw')
        setImmediate(() => {
          throw new Error('a fault');
        });
      const answer = answers[request.url] ?? answers['/'];
      answer().then((value) => response.end(JSON.stringify(value)));
      return true;
    },
    registerMetrics(registry) {
      const counter = { name: 'cairn_test_total', help: 'Requests.', labelNames: [] };
      registerCounter(registry, counter, () => [[{}, counts.requests]]);
    },
    dependencies: () => [{ name: 'test', problem: process.env.TEST_PROBLEM }],
  };
}

await runService({
  name: 'storage-api',
  settings: {
    STORAGE_API_PORT: sharedSettings.STORAGE_API_PORT,
    STORAGE_API_ADMIN_PORT: adminPort('storage API'),
    CAIRN_PROCESSES: sharedSettings.CAIRN_PROCESSES,
  },
  portSetting: 'STORAGE_API_PORT',
  adminPortSetting: 'STORAGE_API_ADMIN_PORT',
  shared: async () => {
    let count = 0;
    return { count: () => ++count };
  },
  load: async () => ({
    module: (context) => ({
      module: AppModule,
      imports: [ServiceKitModule.forRoot(context)],
      providers: [{ provide: RAW_HTTP, useValue: rawOf(context) }],
    }),
  }),
});
