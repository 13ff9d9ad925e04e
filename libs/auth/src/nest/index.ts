export { ACCOUNT_STORE, AuthModule, type AuthModuleOptions, SECRETS } from './auth.module.ts';
export { serviceSecrets } from './service-secrets.ts';
