import type { Engines } from '../engines.ts';
import type { Random } from '../reference-model.ts';
import type { Service } from '../service.ts';

/** A fault of one part of a deployment. */
export interface Fault {
  readonly name: string;
  /** True where a process loses what it had only in memory. */
  readonly endsProcess: boolean;
  begin(): Promise<unknown> | unknown;
  /** Ends the fault. Resolves when the part runs again. */
  end(): Promise<unknown> | unknown;
}

/** Lists every fault of a deployment: kill -9 of each process, and kill, pause and cut of each engine. */
export function faultsOf({
  service,
  engines,
  random,
  settings,
}: {
  readonly service: Service;
  readonly engines: Engines;
  readonly random: Random;
  readonly settings: Readonly<Record<string, string>>;
}): readonly Fault[] {
  let killed = service.processes[0];
  const kill: Fault = {
    name: 'kill -9 of a process',
    endsProcess: true,
    begin() {
      killed = random.pick([...service.processes]);
      return killed.stop('SIGKILL');
    },
    end: () => killed && service.restart(killed, settings),
  };
  const ofEngines = (['postgres', 's3', 'redis'] as const).flatMap((name): Fault[] => {
    const engine = engines[name];
    const line = engines.lines?.[name];
    const fault = (kind: string, begin: Fault['begin'], end: Fault['end']) => ({
      name: `${kind} of ${name}`,
      endsProcess: false,
      begin,
      end,
    });
    return [
      fault(
        'kill',
        () => engine.kill(),
        () => engine.start(),
      ),
      fault(
        'pause',
        () => engine.pause(),
        () => engine.resume(),
      ),
      fault(
        'cut',
        () => line?.cut(),
        () => line?.restore(),
      ),
    ];
  });
  return [kill, ...ofEngines];
}
