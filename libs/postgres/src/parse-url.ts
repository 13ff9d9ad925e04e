import type pg from 'pg';
import { parse } from 'pg-connection-string';
import { PostgresError } from './errors.ts';

/** Parameters of libpq (PostgreSQL manual, "Parameter Key Words") and of `pg`. Those that `parse` does not use have no effect. */
const parameters = new Set(
  `host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout client_encoding options
  application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout
  replication gssencmode sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslkeylogfile sslpassword sslcertmode
  sslrootcert sslcrl sslcrldir sslsni requirepeer ssl_min_protocol_version ssl_max_protocol_version min_protocol_version
  max_protocol_version krbsrvname gsslib gssdelegation service servicefile target_session_attrs load_balance_hosts ssl
  uselibpqcompat`.split(/\s+/),
);

/**
 * Parses the URL of a database. A misspelled parameter is refused: without its `sslmode` a connection would have no TLS. The error
 * does not repeat the URL, since it may contain a password.
 * @throws POSTGRES_URL_INVALID
 */
export function parsePostgresUrl(url: string): pg.ClientConfig {
  if (!/^postgres(ql)?:\/\//.test(url)) throw invalid();
  const [, query = ''] = url.split('?');
  for (const name of new URLSearchParams(query).keys()) if (!parameters.has(name)) throw unknownParameter(name);
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

/** A part of a password that contains `?` could be the name. So it is shown only in the form of a parameter. */
function unknownParameter(name: string): PostgresError {
  const shown = /^[a-z_]{1,32}$/.test(name) ? ` ${name}` : '';
  return new PostgresError('POSTGRES_URL_INVALID', `The URL of the database has an unknown parameter${shown}.`, {
    hint: 'Use parameters of libpq, such as sslmode=verify-full, and write a "?" of a password as %3F.',
  });
}

function invalid(): PostgresError {
  return new PostgresError('POSTGRES_URL_INVALID', 'The URL of the database does not parse.', {
    hint: 'Use the form postgres://user:password@host:5432/database?sslmode=require.',
  });
}
