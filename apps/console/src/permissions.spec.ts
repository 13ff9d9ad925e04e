import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { openApiDocument } from './open-api.ts';
import { type Permission, permissionFor, permissionsOf } from './permissions.ts';

/** Routes that need a session, as `GET /api/keys/:id`. */
const routes = Object.entries(openApiDocument().paths as Record<string, Record<string, { security: object[] }>>)
  .flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => ({ method: method.toUpperCase(), path, security })),
  )
  .filter(({ path, security }) => security.length > 0 && !path.startsWith('/api/operator/'))
  .map(({ method, path }) => ({ method, path: path.replace(/\{(\w+)\}/g, ':$1') }));
const allowed = (role: Parameters<typeof permissionsOf>[0]) =>
  routes.filter(({ method, path }) => permissionsOf(role).includes(permissionFor(method, path)));
const own = /^\/api\/me(\/|$)/;

test('read-only members change nothing but their own profile, and may call networks', () => {
  const changes = allowed('read-only').filter(({ method, path }) => method !== 'GET' && !own.test(path));
  expect(changes).toEqual([{ method: 'POST', path: '/api/networks/:name/rpc' }]);
  expect(allowed('read-only').filter(({ method }) => method === 'GET')).toHaveLength(
    routes.filter(({ method }) => method === 'GET').length,
  );
});

test('billing members reach only profile, usage, billing, status and the list of members', () => {
  const paths = allowed('billing').map(({ path }) => path);
  expect(paths.filter((path) => !/^\/api\/(me|usage|billing|members|status)(\/|$)/.test(path))).toEqual([]);
  expect(allowed('billing')).toContainEqual({ method: 'POST', path: '/api/billing/attach' });
  expect(allowed('billing').filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/members'))).toEqual(
    [],
  );
});

test('developers do all but billing changes and members', () => {
  const refused = routes.filter((route) => !allowed('developer').includes(route));
  expect(refused.length).toBeGreaterThan(3);
  expect(refused.filter(({ path }) => !/^\/api\/(billing|members|invitations)(\/|$)/.test(path))).toEqual([]);
});

test('owners and operators reach every route', () => {
  expect(allowed('owner')).toEqual(routes);
  expect(allowed('operator')).toEqual(routes);
});

test.each<[string, string, Permission]>([
  ['GET', '/api/keys', 'read'],
  ['POST', '/api/keys/:id/revoke', 'develop'],
  ['PUT', '/api/new-page', 'develop'],
  ['POST', '/api/metrics', 'develop'],
  ['POST', '/api/billing/attach', 'bill'],
  ['DELETE', '/api/members/:id', 'manage'],
  ['DELETE', '/api/invitations/:id', 'manage'],
])('%s %s needs the right %s', (method, path, needs) => {
  expect(permissionFor(method, path)).toBe(needs);
});
