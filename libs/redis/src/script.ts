import { createHash } from 'node:crypto';

/** A Lua script, which the server runs atomically. */
export interface RedisScript {
  readonly name: string;
  readonly text: string;
  /** SHA-1 of the text: the server runs a script that it has by this name. */
  readonly hash: string;
}

export function redisScript(name: string, text: string): RedisScript {
  return { name, text, hash: createHash('sha1').update(text).digest('hex') };
}
