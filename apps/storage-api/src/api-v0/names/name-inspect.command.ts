import { isCairnError } from '@cairn/errors';
import { type DecodedRecord, decodeIpnsRecord, ipnsLimits, ipnsNameText, verifyDecodedRecord } from '@cairn/ipns';
import { Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { fileArgument } from '../file-argument.ts';
import { sendJsonText } from '../write.ts';
import { hexDump } from './hex-dump.ts';
import { parseName } from './name-text.ts';

const options = { verify: { kind: 'text' }, dump: { kind: 'boolean', default: true } } as const;

/** `name/inspect`: returns the fields of a record, and with `verify` whether it is valid for a name. */
@Injectable()
export class NameInspectCommand implements Command<typeof options> {
  readonly name = 'name/inspect';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = options;
  readonly file = 'record';

  async run({ options: chosen, request, response, signal }: CommandContext<typeof options>): Promise<void> {
    // Kubo reports a long record by its own limit, so that this one is larger.
    const bytes = await fileArgument(request, { name: 'record', bytesMax: 8 * ipnsLimits.recordBytesMax, signal });
    const record = decodeIpnsRecord(bytes);
    const answer = {
      Entry: {
        ...{ Value: record.value, ValidityType: Number(record.validityType), Validity: record.validity },
        ...{ Sequence: record.sequence, TTL: record.ttlNs },
      },
      ...{ PbSize: bytes.length, SignatureType: record.hasV1 ? 'V1+V2' : 'V2' },
      HexDump: chosen.dump ? hexDump(bytes) : '',
      ...(chosen.verify && { Validation: validationOf(chosen.verify, record) }),
    };
    sendJsonText(response, jsonWithIntegers(answer));
  }
}

function validationOf(text: string, record: DecodedRecord) {
  const name = parseName(text);
  const Name = ipnsNameText(name);
  try {
    verifyDecodedRecord(name, record);
    return { Valid: true, Reason: '', Name };
  } catch (error) {
    if (!isCairnError(error, 'IPNS_RECORD_INVALID')) throw error;
    return { Valid: false, Reason: String(error.details.words), Name };
  }
}

/** JSON with integers of 64 bits, which numbers of JavaScript cannot have. */
function jsonWithIntegers(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${jsonWithIntegers(field)}`);
  return `{${fields.join(',')}}`;
}
