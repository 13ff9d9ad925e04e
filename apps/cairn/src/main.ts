#!/usr/bin/env node
import { errorText } from '@cairn/errors';
import { createProgram } from './program.ts';

try {
  const program = await createProgram(process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  console.error(errorText(error));
  process.exitCode = 1;
}
