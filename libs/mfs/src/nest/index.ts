export { MfsModule, type MfsModuleOptions, ROOT_STORE } from './mfs.module.ts';
