import { errorText, isCairnError } from '@cairn/errors';

/** Port of a listener, and the names of the settings that choose it. */
interface Listener {
  readonly port: number | undefined;
  readonly portSetting: string;
  readonly bind: string;
  readonly bindSetting: string;
}

/** Says why a service cannot start, and which setting to change. */
export function startFailure(
  error: unknown,
  { name, service, admin }: { readonly name: string; readonly service: Listener; readonly admin: Listener },
): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EMFILE' || code === 'ENFILE')
    return `${name} has no file descriptors left. Raise the limit: \`ulimit -n 65536\`, or LimitNOFILE= of the unit.`;
  // Files fail with the same codes as listeners.
  if (isSystemError(error) && error.path !== undefined)
    return `${name} cannot start: ${errorText(error)}. Check that its user can read and write ${error.path}.`;
  // The admin port fails with the same codes; the error carries the port.
  const failedPort = error instanceof Error && 'port' in error ? error.port : service.port;
  const { port, portSetting, bind, bindSetting } =
    failedPort === admin.port && failedPort !== service.port ? admin : service;
  const address = `${bind}:${port}`;
  if (code === 'EADDRINUSE')
    return `${name} cannot listen on ${address}: the port is taken. Set ${portSetting} to another one.`;
  if (code === 'EACCES') return `${name} may not listen on ${address}. Set ${portSetting} to a port above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${name} cannot listen on ${address}. Set ${bindSetting} to an address of this machine.`;
  return isCairnError(error)
    ? `${name} cannot start. ${errorText(error)}`
    : `${name} cannot start: ${errorText(error)}`;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
