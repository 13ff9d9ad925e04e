import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { Controller, Get, Param } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Hex } from '../hex.ts';
import { ParseBlockHashPipe } from './index.ts';

@Controller('blocks')
class BlocksController {
  @Get(':hash')
  read(@Param('hash', ParseBlockHashPipe) hash: Hex) {
    return { hash };
  }
}

test('a controller gets a block hash in lower case; anything else is answered 400 with what was expected', async () => {
  const module = await Test.createTestingModule({ controllers: [BlocksController] }).compile();
  const app = module.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  try {
    const url = await app.getUrl();
    const answer = await fetch(`${url}/blocks/0x${'AB'.repeat(32)}`);
    expect(await answer.json()).toEqual({ hash: `0x${'ab'.repeat(32)}` });
    const refusal = await fetch(`${url}/blocks/0x1234`);
    expect(refusal.status).toBe(400);
    expect(await refusal.json()).toMatchObject({
      message: 'block hash: expected 32 hexadecimal bytes, "0x" and 64 digits, got "0x1234"',
    });
  } finally {
    await app.close();
  }
});
