/** The debug directory of a DLL, which names its PDB. */
export type DebugDirectory = {
  /** 32 hex digits, as tools print a GUID without its hyphens. */
  readonly guid: string;
  /** `SHA256`, say. */
  readonly checksumAlgorithm: string;
  /** Lower-case hex. */
  readonly checksum: string;
};

const [CODE_VIEW, PDB_CHECKSUM] = [2, 19];
const ENTRY_SIZE = 28;

/** Reads the debug directory of a PE file, as debuggers do before they ask a symbol server. */
export function readDebugDirectory(dll: Buffer): DebugDirectory {
  const entries = debugEntries(dll);
  const codeView = entries.get(CODE_VIEW);
  const pdbChecksum = entries.get(PDB_CHECKSUM);
  if (!codeView || !pdbChecksum || codeView.toString("latin1", 0, 4) !== "RSDS") {
    throw new Error("the DLL names no portable PDB");
  }
  const nameEnd = pdbChecksum.indexOf(0);
  return {
    guid: guidOf(codeView.subarray(4, 20)),
    checksumAlgorithm: pdbChecksum.toString("utf8", 0, nameEnd),
    checksum: pdbChecksum.toString("hex", nameEnd + 1),
  };
}

function debugEntries(dll: Buffer): ReadonlyMap<number, Buffer> {
  const header = dll.readUInt32LE(0x3c) + 4;
  const optional = header + 20;
  const directories = optional + (dll.readUInt16LE(optional) === 0x10b ? 96 : 112);
  const start = fileOffset(dll, header, dll.readUInt32LE(directories + 6 * 8));
  const count = dll.readUInt32LE(directories + 6 * 8 + 4) / ENTRY_SIZE;
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const entry = dll.subarray(start + index * ENTRY_SIZE);
      const [size, pointer] = [entry.readUInt32LE(16), entry.readUInt32LE(24)];
      return [entry.readUInt32LE(12), dll.subarray(pointer, pointer + size)];
    }),
  );
}

function fileOffset(dll: Buffer, header: number, address: number): number {
  const sections = header + 20 + dll.readUInt16LE(header + 16);
  for (let index = 0; index < dll.readUInt16LE(header + 2); index++) {
    const section = dll.subarray(sections + index * 40);
    const [size, start] = [section.readUInt32LE(8), section.readUInt32LE(12)];
    if (address >= start && address < start + size) {
      return section.readUInt32LE(20) + address - start;
    }
  }
  throw new Error("the DLL has no debug directory");
}

/** Three numbers in little-endian order, then eight bytes. */
function guidOf(bytes: Buffer): string {
  const numbers = [
    bytes.readUInt32LE(0).toString(16).padStart(8, "0"),
    bytes.readUInt16LE(4).toString(16).padStart(4, "0"),
    bytes.readUInt16LE(6).toString(16).padStart(4, "0"),
  ];
  return `${numbers.join("")}${bytes.toString("hex", 8, 16)}`;
}
