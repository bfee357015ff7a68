import type { Parameter } from "./query-port.ts";

/** Values that the driver accepts. */
export type MysqlValue = string | number | boolean | Date | Buffer | null;

export function mysqlValues(parameters: readonly Parameter[]): MysqlValue[] {
  return parameters.map((value) => {
    if (value === undefined) return null;
    return value instanceof Uint8Array && !Buffer.isBuffer(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : value;
  });
}
