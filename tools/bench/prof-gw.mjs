import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { load } from './lib/load.mjs';
import { servicePid, startServices } from './lib/services.mjs';

const home = mkdtempSync('/dev/shm/pg-');
const s = await startServices(home);
const c = JSON.parse(readFileSync('../sample-network/network/contracts.json'));
const { Token } = c.contracts;
const word = (n) => n.toString(16).padStart(64, '0');
let holder = 1;
const run = (count, method, params) =>
  load(s.gateway, {
    count,
    next: (n) => ({
      path: '/v3/bench',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: n, method, params: params(n) }),
    }),
  });
const call = () => [
  { from: c.accounts.alice, to: Token.address, data: `0x${Token.selectors['balanceOf(address)']}${word(holder++)}` },
  'latest',
];
try {
  const pid = servicePid(s.pid, 'rpc-gateway');
  for (let i = 0; i < 3; i++)
    console.log(
      'chainId',
      (await run(20000, 'eth_chainId', () => [])).perSecond.toFixed(0),
      'call',
      (await run(20000, 'eth_call', call)).perSecond.toFixed(0),
    );
  if (process.env.PROF) {
    process.kill(pid, 'SIGUSR1');
    await new Promise((r) => setTimeout(r, 500));
    const list = await (await fetch('http://127.0.0.1:9229/json')).json();
    const ws = new WebSocket(list[0].webSocketDebuggerUrl);
    await new Promise((r) => (ws.onopen = r));
    let id = 0;
    const pend = new Map();
    ws.onmessage = (e) => {
      const m = JSON.parse(e.data);
      pend.get(m.id)?.(m.result);
    };
    const cmd = (method, params = {}) =>
      new Promise((r) => {
        pend.set(++id, r);
        ws.send(JSON.stringify({ id, method, params }));
      });
    await cmd('Profiler.enable');
    await cmd('Profiler.setSamplingInterval', { interval: 300 });
    await cmd('Profiler.start');
    console.log('call', (await run(40000, 'eth_call', call)).perSecond.toFixed(0));
    const { profile } = await cmd('Profiler.stop');
    mkdirSync('/tmp/prof10', { recursive: true });
    writeFileSync('/tmp/prof10/x.cpuprofile', JSON.stringify(profile));
    ws.close();
  }
} finally {
  await s.stop();
}
