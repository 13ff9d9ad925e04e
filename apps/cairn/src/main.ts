#!/usr/bin/env node
import { errorText } from '@cairn/errors';
import { createProgram } from './program.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  console.error(errorText(error));
  process.exitCode = 1;
}
