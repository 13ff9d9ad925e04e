import { MeteringError } from '../errors.ts';

export function planNotFound(name: string): MeteringError {
  return new MeteringError('PLAN_NOT_FOUND', `There is no plan ${JSON.stringify(name.slice(0, 64))}.`, {
    hint: 'List the plans with `cairn plan list`.',
  });
}
