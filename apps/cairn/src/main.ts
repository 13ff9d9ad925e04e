#!/usr/bin/env node
import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';

const args = process.argv.slice(2);
try {
  if (args[0] === 'completion-server') await (await import('./complete.ts')).serveCompletion();
  else await (await createProgram(args)).parseAsync();
} catch (error) {
  process.exitCode = reportError(error, { json: args.includes('--json') });
}
