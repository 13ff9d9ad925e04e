import { expect, test } from '@jest/globals';
import { decodeOutputs, decodeRevert, encodeCall, functionsOf, parseAbiText, signatureOf } from './abi-call.ts';

const text = JSON.stringify([
  {
    type: 'function',
    name: 'transfer',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'pair',
    stateMutability: 'view',
    inputs: [{ name: 'list', type: 'uint8[]' }],
    outputs: [
      { name: 'low', type: 'uint256' },
      { name: 'who', type: 'address' },
    ],
  },
  { type: 'error', name: 'TooMuch', inputs: [{ name: 'amount', type: 'uint256' }] },
]);
const abi = parseAbiText(text);
const [pair, transfer] = functionsOf(abi) as [ReturnType<typeof functionsOf>[0], ReturnType<typeof functionsOf>[0]];
const address = `0x${'11'.repeat(20)}` as const;
const word = (value: number | string) => String(value).padStart(64, '0');

test('an ABI is a list, or the output of a compiler', () => {
  expect(parseAbiText(`{"abi":${text}}`)).toEqual(abi);
  expect(() => parseAbiText('{')).toThrow('The ABI is not JSON.');
  expect(() => parseAbiText('{}')).toThrow('The JSON has no ABI');
  expect(functionsOf(abi).map(signatureOf)).toEqual(['pair(uint8[] list)', 'transfer(address to, uint256 amount)']);
});

test('arguments are encoded, and faults name the argument', () => {
  // Selector of transfer(address,uint256) in ERC-20.
  expect(encodeCall(transfer, [address, '255'])).toBe(`0xa9059cbb${word('11'.repeat(20))}${word('ff')}`);
  expect(encodeCall(transfer, [address, '0xff'])).toBe(encodeCall(transfer, [address, '255']));
  expect(encodeCall(pair, ['["1","2"]'])).toContain(word(2));
  expect(() => encodeCall(transfer, [address, 'many'])).toThrow('amount: expected a whole number');
  expect(() => encodeCall(transfer, ['0x12', '1'])).toThrow('Address "0x12" is invalid');
  expect(() => encodeCall(pair, ['1,2'])).toThrow('list: expected JSON for uint8[]');
});

test('outputs and custom errors are decoded', () => {
  expect(decodeOutputs(pair, `0x${word(7)}${word('11'.repeat(20))}`)).toEqual([
    { name: 'low', type: 'uint256', text: '7' },
    { name: 'who', type: 'address', text: address },
  ]);
  expect(decodeOutputs(transfer, `0x${word(1)}`)).toEqual([{ name: '', type: 'bool', text: 'true' }]);
  expect(decodeOutputs(pair, '0x')).toBeUndefined();
  // Selector of TooMuch(uint256): the first bytes of its keccak256.
  const panic = `0x4e487b71${word(11)}` as const;
  expect(decodeRevert(abi, panic)).toBe('Panic(17)');
  expect(decodeRevert(abi, '0x12345678')).toBeUndefined();
});
