import type { Setting } from '../settings/setting.ts';
import type { SettingsShape } from '../settings/settings-shape.ts';

/** Formats the table of settings of a README as Markdown: name, default, meaning. */
export function settingsTable(shape: SettingsShape): string {
  const rows = (Object.entries(shape) as [string, Setting<unknown>][]).map(([name, setting]) => {
    const parsed = setting.parse(undefined);
    const value = 'value' in parsed && parsed.value !== undefined ? `\`${parsed.value}\`` : 'none';
    return [`\`${name}\``, value, setting.description];
  });
  const table = [['name', 'default', 'meaning'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], fill: string) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const [head = [], ...body] = table;
  return [line(head, ' '), line(['', '', ''], '-'), ...body.map((row) => line(row, ' '))].join('\n');
}
