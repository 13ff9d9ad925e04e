import type pg from 'pg';
import { parse } from 'pg-connection-string';
import { PostgresError } from './errors.ts';

/** Parses the URL of a database. The error does not repeat it, since it may contain a password. @throws POSTGRES_URL_INVALID */
export function parsePostgresUrl(url: string): pg.ClientConfig {
  if (!/^postgres(ql)?:\/\//.test(url)) throw invalid();
  try {
    const { host, port, user, password, database, ssl } = parse(url);
    return {
      ...(host && { host }),
      ...(port && { port: Number(port) }),
      ...(user && { user }),
      ...(password && { password }),
      ...(database && { database }),
      ...(ssl !== undefined && { ssl: ssl as pg.ClientConfig['ssl'] & {} }),
    };
  } catch {
    throw invalid();
  }
}

function invalid(): PostgresError {
  return new PostgresError('POSTGRES_URL_INVALID', 'The URL of the database does not parse.', {
    hint: 'Use the form postgres://user:password@host:5432/database?sslmode=require.',
  });
}
