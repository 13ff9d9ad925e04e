import { BadRequestException, Injectable, type PipeTransform } from '@nestjs/common';
import type { Hex } from '../hex.ts';
import { parseHash } from '../parse-value.ts';

/** Takes the hash of a block as a parameter of a controller; anything else is answered 400 with what was expected. */
@Injectable()
export class ParseBlockHashPipe implements PipeTransform<unknown, Hex> {
  transform(value: unknown): Hex {
    try {
      return parseHash('block hash', value);
    } catch (error) {
      throw new BadRequestException(error instanceof Error ? error.message : 'expected a block hash');
    }
  }
}
