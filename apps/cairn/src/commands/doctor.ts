import type { Command } from 'commander';
import type { Finding } from '../doctor/finding.ts';
import { paintState } from '../paint.ts';
import { print } from '../print.ts';
import { topCommand } from '../top-commands.ts';

const marks = { good: 'good   ', warning: 'WARNING', fault: 'FAULT  ', unknown: '-      ' } as const;

/** `cairn doctor` */
export function addDoctorCommand(program: Command, version: string): void {
  topCommand(program, 'doctor')
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const { diagnose } = await import('../doctor/diagnose.ts');
      const findings = await diagnose(version);
      print(findings, options, [...findings.flatMap(lines), '', summary(findings)]);
      if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1;
    });
}

function lines({ check, state, text, advice }: Finding): string[] {
  const first = `${paintState(marks[state])}  ${check.padEnd(9)}  ${text}`;
  return advice === undefined ? [first] : [first, `${' '.repeat(20)}${advice}`];
}

function summary(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  return `${count('good')} good, ${count('warning')} warnings, ${count('fault')} faults, ${count('unknown')} not checked.`;
}
