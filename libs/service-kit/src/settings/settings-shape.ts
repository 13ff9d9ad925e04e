import type { Setting } from './setting.ts';
import type { SettingName } from './setting-names.ts';

/** Settings by name: the `settings.ts` of a program. */
export type SettingsShape = { readonly [Name in SettingName]?: Setting<unknown> };

/** Values of the settings of a shape. */
export type SettingsValues<Shape extends SettingsShape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Setting<infer Value> ? Value : never;
};
