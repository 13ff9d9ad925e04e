import type { BlockRunner } from '@cairn/block-model';

/** Creates the reference runner for blocks of every fork on @ethereumjs/vm. The first block loads @ethereumjs/vm. */
export function createBlockRunner(): BlockRunner {
  let runner: Promise<BlockRunner> | undefined;
  const load = async () => (await import('./vm-block-runner.ts')).createVmBlockRunner();
  return {
    name: 'ethereumjs',
    async run(run) {
      runner ??= load();
      return (await runner).run(run);
    },
  };
}
