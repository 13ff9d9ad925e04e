export { Unixfs, UnixfsModule } from './unixfs.module.ts';
