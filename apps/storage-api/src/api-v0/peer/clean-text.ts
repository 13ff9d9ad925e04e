const charactersMax = 128;

/**
 * Cleans a text that a peer has chosen, as Kubo does: control and format characters become U+FFFD, and 128 characters
 * remain (https://www.rfc-editor.org/rfc/rfc9839).
 */
export function cleanText(text: string): string {
  const cleaned = text.slice(0, 4 * charactersMax).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\uFFFD');
  return [...cleaned.trim()].slice(0, charactersMax).join('');
}
