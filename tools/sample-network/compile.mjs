import { readdirSync, readFileSync } from 'node:fs';
import solc from 'solc';

const directory = new URL('./contracts/', import.meta.url);

/** Compiles every contract beside this file. @returns creation code and ABI by name */
export function compileContracts() {
  const files = readdirSync(directory).filter((file) => file.endsWith('.sol'));
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      files.map((file) => [file, { content: readFileSync(new URL(file, directory), 'utf8') }]),
    ),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'london',
      // Omits the hash of the sources, so that the bytes depend on the code alone.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.methodIdentifiers'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const contracts = Object.values(output.contracts).flatMap((named) => Object.entries(named));
  return Object.fromEntries(
    contracts.map(([name, { abi, evm }]) => [
      name,
      { abi, code: `0x${evm.bytecode.object}`, selectors: evm.methodIdentifiers },
    ]),
  );
}
