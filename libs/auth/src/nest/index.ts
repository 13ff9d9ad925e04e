export { AUTH, AuthModule, type AuthModuleOptions } from './auth.module.ts';
export { serviceSecrets } from './service-secrets.ts';
