export { kzg, prepareKzg } from '#kzg';
