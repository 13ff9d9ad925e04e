export { type DagCodec, dagCodecOf, dagCodecs, decodeDag, encodeDag, isDagCodec } from './codecs.ts';
export { InvalidCarError, UndecodableError, UnencodableError, UnknownCodecError } from './errors.ts';
export { type Car, carLimits, type ReadCarOptions, readCar } from './read-car.ts';
export { type ResolvedPath, resolveDagPath, resolveToBlock, valueAt } from './resolve-path.ts';
export { writeCar } from './write-car.ts';
