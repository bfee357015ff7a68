import { createServer } from "node:net";
import type { Socket } from "node:net";

// As much of SQL Server's protocol (MS-TDS) as shows what the driver sends, and how it reads
// answers.

/** A value of a result, with the type in which SQL Server would send it. */
export type TdsCell =
  | { readonly bigint: bigint | null }
  | { readonly text: string | null }
  | { readonly flag: boolean }
  | { readonly time: { readonly milliseconds: number; readonly days: number } }
  | { readonly bytes: Uint8Array | null };

/** The answer to a text. */
export type TdsAnswer =
  | { readonly rows: readonly Readonly<Record<string, TdsCell>>[] }
  | { readonly changes: number }
  | { readonly error: number; readonly message: string; readonly isRolledBack?: boolean }
  | "nothing"
  | "close";

/** A text that the client sent; `declaration` lists the types of its parameters. */
export type TdsRequest = { readonly sql: string; readonly declaration: string };

/** A server on a random port of this machine. */
export interface TdsServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly TdsRequest[];
}

const PACKET = {
  batch: 0x01,
  rpc: 0x03,
  answer: 0x04,
  attention: 0x06,
  login: 0x10,
  prelogin: 0x12,
};
const HEADER_BYTES = 8;

/** Starts a server without encryption that lets every account in. */
export async function startTdsServer(
  answerTo: (request: TdsRequest) => TdsAnswer,
): Promise<TdsServer> {
  const requests: TdsRequest[] = [];
  const sockets = new Set<Socket>();
  const onMessage = (socket: Socket, type: number, body: Buffer) => {
    if (type === PACKET.prelogin) send(socket, PRELOGIN);
    else if (type === PACKET.login) send(socket, Buffer.concat([LOGIN_ACK, done(0)]));
    else if (type === PACKET.attention) {
      // The end of the cancelled request, then that of the cancellation.
      send(socket, done(0, 0x02));
      send(socket, done(0, 0x20));
    } else {
      const request = type === PACKET.rpc ? rpcOf(body) : batchOf(body);
      requests.push(request);
      const answer = answerTo(request);
      if (answer === "close") socket.destroy();
      else if (answer !== "nothing") send(socket, tokensOf(answer));
    }
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    readMessages(socket, (type, body) => onMessage(socket, type, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("There is no port.");
  return {
    port: address.port,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Joins the packets of each message. */
function readMessages(socket: Socket, onMessage: (type: number, body: Buffer) => void): void {
  let received = Buffer.alloc(0);
  let body: Buffer[] = [];
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, Buffer.from(chunk)]);
    while (received.length >= HEADER_BYTES && received.length >= received.readUInt16BE(2)) {
      const length = received.readUInt16BE(2);
      const [type = 0, status = 0] = received;
      body.push(received.subarray(HEADER_BYTES, length));
      received = received.subarray(length);
      if ((status & 1) === 0) continue;
      onMessage(type, Buffer.concat(body));
      body = [];
    }
  });
}

const MESSAGE_MAX = 4_000;

function send(socket: Socket, message: Buffer): void {
  for (let start = 0; start < message.length; start += MESSAGE_MAX) {
    const part = message.subarray(start, start + MESSAGE_MAX);
    const isLast = start + MESSAGE_MAX >= message.length;
    const header = Buffer.from([PACKET.answer, isLast ? 1 : 0, 0, 0, 0, 0, 1, 0]);
    header.writeUInt16BE(HEADER_BYTES + part.length, 2);
    socket.write(Buffer.concat([header, part]));
  }
}

/** The version, and no encryption. */
const PRELOGIN = Buffer.from([0x00, 0, 11, 0, 6, 0x01, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, 0x02]);

const LOGIN_ACK = token(0xad, [Buffer.from([1, 0x74, 0, 0, 4, 0]), Buffer.from([16, 0, 0, 0])]);

function token(type: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([type]), uint16(body.length), body]);
}

function done(changes: number, status = 0x10): Buffer {
  const body = Buffer.alloc(13);
  body[0] = 0xfd;
  body.writeUInt16LE(status, 1);
  body.writeBigUInt64LE(BigInt(changes), 5);
  return body;
}

function tokensOf(answer: Exclude<TdsAnswer, string>): Buffer {
  if ("changes" in answer) return done(answer.changes);
  if ("rows" in answer) {
    const [first] = answer.rows;
    const rows = answer.rows.map((row) =>
      Buffer.concat([Buffer.from([0xd1]), ...Object.values(row).map(cellOf)]),
    );
    return Buffer.concat([...(first ? [columnsOf(first)] : []), ...rows, done(rows.length)]);
  }
  const message = Buffer.from(answer.message, "utf16le");
  const number = Buffer.alloc(6);
  number.writeUInt32LE(answer.error, 0);
  number.set([1, 14], 4);
  const error = token(0xaa, [number, uint16(message.length / 2), message, Buffer.alloc(6)]);
  const rolledBack = token(0xe3, [Buffer.from([10, 0, 8]), Buffer.alloc(8)]);
  return Buffer.concat([error, ...(answer.isRolledBack ? [rolledBack] : []), done(0, 0x02)]);
}

function columnsOf(row: Readonly<Record<string, TdsCell>>): Buffer {
  const columns = Object.entries(row).map(([name, cell]) =>
    Buffer.concat([
      Buffer.alloc(6),
      typeOf(cell),
      Buffer.from([name.length]),
      Buffer.from(name, "utf16le"),
    ]),
  );
  return Buffer.concat([Buffer.from([0x81]), uint16(columns.length), ...columns]);
}

const COLLATION = Buffer.from([0x09, 0x04, 0xd0, 0x00, 0x34]);

function typeOf(cell: TdsCell): Buffer {
  if ("bigint" in cell) return Buffer.from([0x26, 8]);
  if ("flag" in cell) return Buffer.from([0x68, 1]);
  if ("time" in cell) return Buffer.from([0x2a, 3]);
  if ("bytes" in cell) return Buffer.from([0xa5, 0xff, 0xff]);
  return Buffer.concat([Buffer.from([0xe7]), uint16(8_000), COLLATION]);
}

function cellOf(cell: TdsCell): Buffer {
  if ("bigint" in cell) {
    if (cell.bigint === null) return Buffer.from([0]);
    const number = Buffer.alloc(9);
    number[0] = 8;
    number.writeBigInt64LE(cell.bigint, 1);
    return number;
  }
  if ("flag" in cell) return Buffer.from([1, cell.flag ? 1 : 0]);
  if ("time" in cell) {
    const time = Buffer.alloc(8);
    time[0] = 7;
    time.writeUInt32LE(cell.time.milliseconds, 1);
    time.writeUIntLE(cell.time.days, 5, 3);
    return time;
  }
  if ("bytes" in cell) return partlyLengthPrefixed(cell.bytes);
  if (cell.text === null) return uint16(0xffff);
  const text = Buffer.from(cell.text, "utf16le");
  return Buffer.concat([uint16(text.length), text]);
}

function partlyLengthPrefixed(bytes: Uint8Array | null): Buffer {
  if (bytes === null) return Buffer.alloc(8, 0xff);
  const lengths = Buffer.alloc(12);
  lengths.writeBigUInt64LE(BigInt(bytes.length), 0);
  lengths.writeUInt32LE(bytes.length, 8);
  return Buffer.concat([lengths, bytes, Buffer.alloc(4)]);
}

/** A batch is a text after its headers. */
function batchOf(body: Buffer): TdsRequest {
  return { sql: body.subarray(body.readUInt32LE(0)).toString("utf16le"), declaration: "" };
}

/** The first two parameters of `sp_executesql`: the text, and the declaration of the others. */
function rpcOf(body: Buffer): TdsRequest {
  // The headers; then the mark of a number instead of a name, the number, and flags.
  const start = body.readUInt32LE(0) + 6;
  const statement = nvarcharAt(body, start);
  const isAlone = statement.end >= body.length;
  return {
    sql: statement.text,
    declaration: isAlone ? "" : nvarcharAt(body, statement.end).text,
  };
}

function nvarcharAt(body: Buffer, start: number): { readonly text: string; readonly end: number } {
  // Its name with the length, a status byte, and the type.
  const type = start + 1 + body.readUInt8(start) * 2 + 1;
  const value = type + 1 + 2 + COLLATION.length;
  if (body.readUInt16LE(type + 1) !== 0xffff) {
    const end = value + 2 + body.readUInt16LE(value);
    return { text: body.subarray(value + 2, end).toString("utf16le"), end };
  }
  const chunks: Buffer[] = [];
  let position = value + 8;
  for (;;) {
    const length = body.readUInt32LE(position);
    position += 4;
    if (length === 0) return { text: Buffer.concat(chunks).toString("utf16le"), end: position };
    chunks.push(body.subarray(position, position + length));
    position += length;
  }
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
