/**
 * Option of every `files` command of Kubo. Every change is durable before its response, so only its type is checked,
 * and its value where a command depends on it.
 */
export const flushOption = { flush: { kind: 'boolean', alias: 'f', default: true } } as const;
