/**
 * Returns the smallest request that still shows a difference: drops items of its lists one by one.
 * @template {Record<string, readonly unknown[]>} Request
 * @param {Request} request lists by name
 * @param {(request: Request) => Promise<boolean>} differs
 * @returns {Promise<Request>}
 */
export async function shrink(request, differs) {
  let smallest = request;
  for (let changed = true; changed; ) {
    changed = false;
    for (const [name, items] of Object.entries(smallest)) {
      for (let index = items.length - 1; index >= 0; index--) {
        const shorter = { ...smallest, [name]: smallest[name].filter((_, at) => at !== index) };
        if (!(await differs(shorter))) continue;
        smallest = shorter;
        changed = true;
      }
    }
  }
  return smallest;
}
