/** The mark of Cairn: three stones. Decorative beside the name. */
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" fill="var(--mantine-primary-color-filled)">
      <ellipse cx="16" cy="26" rx="13" ry="5" />
      <ellipse cx="16" cy="16.500" rx="9" ry="4.500" opacity="0.85" />
      <ellipse cx="16" cy="8" rx="5.500" ry="3.500" opacity="0.7" />
    </svg>
  );
}
