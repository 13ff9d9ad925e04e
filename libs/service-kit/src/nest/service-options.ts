import type { DynamicModule, INestApplication } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { Engine } from '../admin/engine-metrics.ts';
import type { SharedFunctions } from '../processes/process-group.ts';
import type { Settings } from '../settings/load-settings.ts';
import type { SettingsShape } from '../settings/settings-shape.ts';
import type { ServiceContext } from './service-kit.module.ts';

/** Names of the settings of a shape that hold a port. */
type PortName<Shape extends SettingsShape> = string &
  { [Name in keyof Settings<Shape>]: Settings<Shape>[Name] extends number | undefined ? Name : never }[keyof Shape];

/** Names of the settings of a shape that hold text. */
type TextName<Shape extends SettingsShape> = string &
  { [Name in keyof Settings<Shape>]: Settings<Shape>[Name] extends string ? Name : never }[keyof Shape];

/** Parts of a service that only the processes load that serve requests. */
export interface ServiceParts<Shape extends SettingsShape> {
  readonly module: (context: ServiceContext<Settings<Shape>>) => DynamicModule;
  /** States of the engines that replicas of the service share. Default: none. */
  readonly engines?: () => readonly Engine[];
  /** Adapter of a service with Nest controllers. Default: one that routes nothing, so that Express is not loaded. */
  readonly adapter?: () => AbstractHttpAdapter;
  /** Bytes of a request line with its fields, where the default adapter serves. Default: 16 KiB, the limit of Node. */
  readonly headBytesMax?: number;
  /** Prepares the application before its modules are initialized, for example with a WebSocket adapter. */
  readonly configure?: (app: INestApplication) => void;
}

export interface ServiceOptions<Shape extends SettingsShape> {
  readonly name: string;
  /** Settings of the service beside the common ones: its `settings.ts`. With CAIRN_PROCESSES it can run as several processes. */
  readonly settings: Shape;
  /** Setting of the port that it serves. */
  readonly portSetting: PortName<Shape>;
  /** Setting of the port for metrics and health. */
  readonly adminPortSetting: PortName<Shape>;
  /** Setting of the address of an internal API, which has no TLS. Default: `CAIRN_BIND`, with TLS where it is set. */
  readonly internalBindSetting?: TextName<Shape>;
  /** Checks what a setting alone does not show, such as limits that fit together. `--check-config` calls it too. */
  readonly check?: (settings: Settings<Shape>) => void | Promise<void>;
  /** Loads the service. The primary process of several does not, so that it starts early and stays small. */
  readonly load: () => Promise<ServiceParts<Shape>>;
  /** Loads the functions over state that all processes of the service share. Default: none. */
  readonly shared?: () => Promise<SharedFunctions>;
  /** Default: those of the process. */
  readonly argv?: readonly string[];
}

/** Ports and addresses of a service, by their settings. */
export interface Listeners {
  readonly port: number;
  readonly bind: string;
  readonly adminPort: number | undefined;
  readonly adminBind: string;
}

/** Reads ports and addresses from the settings. */
export function listenersOf<Shape extends SettingsShape>(
  { portSetting, adminPortSetting, internalBindSetting }: ServiceOptions<Shape>,
  settings: Settings<Shape>,
): Listeners {
  const values = settings as Readonly<Record<string, number | string | undefined>>;
  return {
    port: Number(values[portSetting] ?? 0),
    bind: String(values[internalBindSetting ?? 'CAIRN_BIND'] ?? '127.0.0.1'),
    adminPort: values[adminPortSetting] as number | undefined,
    adminBind: settings.CAIRN_ADMIN_BIND,
  };
}
