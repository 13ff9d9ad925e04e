export { AUTH, AuthModule, type AuthModuleOptions } from './auth.module.ts';
