import type { AccountStore } from '../account-store.ts';
import { openSecrets } from '../secrets/open-secrets.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** Settings and logger of a service. */
interface SecretsContext {
  readonly settings: {
    readonly CAIRN_HOME: string;
    readonly CAIRN_DATABASE_URL?: string | undefined;
    readonly CAIRN_SECRETS_KEY?: string | undefined;
    readonly CAIRN_SECRETS_KEY_FILE?: string | undefined;
  };
  readonly logger: {
    info(facts: object, message: string): void;
    error(facts: object, message: string): void;
  };
}

/** Returns a function that opens the secrets of a service at its start. Secrets that cannot be opened are logged as an error. */
export function serviceSecrets({ settings, logger }: SecretsContext): (store: AccountStore) => Promise<SecretBox> {
  return async (store) => {
    const { secrets, resealed, problem } = await openSecrets(store, {
      home: settings.CAIRN_HOME,
      key: settings.CAIRN_SECRETS_KEY,
      keyFile: settings.CAIRN_SECRETS_KEY_FILE,
      isShared: settings.CAIRN_DATABASE_URL !== undefined,
    });
    if (resealed > 0) logger.info({ resealed, keyId: secrets.keyId }, 'second factors were sealed');
    if (problem !== undefined)
      logger.error({ causes: [problem.message], hint: problem.hint }, 'second factors cannot be opened');
    return secrets;
  };
}
