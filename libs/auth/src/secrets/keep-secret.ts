import type { AccountStore } from '../account-store.ts';
import { type SecretBox, sealedBy } from './secret-box.ts';

/**
 * Returns a secret that all processes of a deployment share, such as the private key of a node. The first call creates it.
 * It is stored sealed, and sealed again with the first key after a rotation. @throws SECRETS_KEY_UNUSABLE
 */
export async function keepSecret(
  store: AccountStore,
  secrets: SecretBox,
  { name, create }: { readonly name: string; readonly create: () => string },
): Promise<string> {
  const place = `secret ${name}`;
  const sealed = await store.changeSharedText(place, (known) => {
    if (known === undefined) return secrets.seal(create(), place);
    return sealedBy(known) === secrets.keyId ? known : secrets.seal(secrets.open(known, place), place);
  });
  return secrets.open(sealed, place);
}
