import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { packageBytes } from "./multipart.ts";

const CONTENT = randomBytes(100_000);
const CLIENT_HEADERS = `Content-Type: application/octet-stream\r
Content-Disposition: form-data; name=package; filename=p.nupkg; filename*=utf-8''p.nupkg`;

test("reads the form that the dotnet client sends", async () => {
  const read = await readAll(form(CLIENT_HEADERS), 'multipart/form-data; boundary="guid-1"');
  expect(read.equals(CONTENT)).toBe(true);
});

test.each([
  ["quoted tokens", 'Content-Disposition: form-data; name="package"; filename="a.nupkg"'],
  ["another name", 'Content-Disposition: form-data; name="file"; filename="a.nupkg"'],
  ["no file name", "Content-Disposition: form-data; name=package"],
  ["no name", "Content-Disposition: form-data; filename=a.nupkg"],
  ["neither name nor type", "Content-Disposition: form-data"],
  ["a hostile file name", 'Content-Disposition: form-data; name=a; filename="../../etc/passwd"'],
])("reads a first part with %s", async (_, headers) => {
  const read = await readAll(form(headers), "Multipart/Form-Data; boundary=guid-1");
  expect(read.equals(CONTENT)).toBe(true);
});

test("reads the first part and skips the others and an epilogue", async () => {
  const second = `--guid-1\r\nContent-Disposition: form-data; name=b\r\n\r\n${"x".repeat(99_999)}`;
  const body = Buffer.concat([
    Buffer.from(`--guid-1\r\n${CLIENT_HEADERS}\r\n\r\n`),
    CONTENT,
    Buffer.from(`\r\n${second}\r\n--guid-1--\r\nepilogue`),
  ]);
  const read = await readAll(body, "multipart/form-data; boundary=guid-1");
  expect(read.equals(CONTENT)).toBe(true);
});

test("returns any other body unchanged", async () => {
  for (const type of [undefined, "application/octet-stream", "application/x-www-form-urlencoded"]) {
    expect((await readAll(CONTENT, type)).equals(CONTENT)).toBe(true);
  }
});

test.each([
  ["no boundary", form(CLIENT_HEADERS), "multipart/form-data"],
  ["another boundary", form(CLIENT_HEADERS), "multipart/form-data; boundary=other"],
  ["no part", Buffer.from("--guid-1--\r\n"), "multipart/form-data; boundary=guid-1"],
  ["nothing at all", Buffer.alloc(0), "multipart/form-data; boundary=guid-1"],
  [
    "no final boundary",
    form(CLIENT_HEADERS).subarray(0, -20),
    "multipart/form-data; boundary=guid-1",
  ],
  ["half a part", form(CLIENT_HEADERS).subarray(0, 5000), "multipart/form-data; boundary=guid-1"],
  ["half a header", form(CLIENT_HEADERS).subarray(0, 40), "multipart/form-data; boundary=guid-1"],
])("refuses a form with %s", async (_, body, type) => {
  await expect(readAll(body, type)).rejects.toMatchObject({ name: "NuGetError", code: "invalid" });
});

test("gives back content that looks like a boundary, in whatever pieces it comes", async () => {
  const parts = fc.constantFrom(
    "\r\n",
    "--guid-1",
    "--",
    "\r",
    "\n",
    "-",
    "x",
    "\r\n--guid",
    "\u0000",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(parts, { maxLength: 30 }),
      fc.integer({ min: 1, max: 50 }),
      async (list, size) => {
        const content = list.join("");
        fc.pre(!`\r\n${content}\r\n`.includes("\r\n--guid-1"));
        const body = form(CLIENT_HEADERS, Buffer.from(content));
        const read = await readAll(body, "multipart/form-data; boundary=guid-1", size);
        expect(read.toString()).toBe(content);
      },
    ),
  );
});

test("passes on the error of a truncated body, in the form and in its content", async () => {
  const whole = form(CLIENT_HEADERS);
  for (const length of [0, 10, 150, 50_000, whole.length - 3]) {
    const torn = async function* () {
      if (length > 0) yield whole.subarray(0, length);
      throw new Error("connection reset");
    };
    const reading = Array.fromAsync(packageBytes(torn(), "multipart/form-data; boundary=guid-1"));
    await expect(reading, `after ${length} bytes`).rejects.toThrow("connection reset");
  }
});

test("stops reading the body when its consumer stops, and closes it", async () => {
  let [chunks, closed] = [0, false];
  const endless = async function* () {
    try {
      yield Buffer.from(`--guid-1\r\n${CLIENT_HEADERS}\r\n\r\n`);
      for (;;) {
        chunks += 1;
        yield CONTENT;
      }
    } finally {
      closed = true;
    }
  };
  for await (const chunk of packageBytes(endless(), "multipart/form-data; boundary=guid-1")) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(closed).toBe(true);
  expect(chunks).toBeLessThan(10);
});

test("waits for its reader instead of piling up", async () => {
  let sent = 0;
  const large = async function* () {
    yield Buffer.from(`--guid-1\r\n${CLIENT_HEADERS}\r\n\r\n`);
    for (; sent < 1000; sent++) yield CONTENT;
    yield Buffer.from("\r\n--guid-1--\r\n");
  };
  let received = 0;
  for await (const chunk of packageBytes(large(), "multipart/form-data; boundary=guid-1")) {
    if (received === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    received += chunk.length;
    expect(sent * CONTENT.length - received).toBeLessThan(1_000_000);
  }
  expect(received).toBe(1000 * CONTENT.length);
});

function form(headers: string, content: Uint8Array = CONTENT): Buffer {
  return Buffer.concat([
    Buffer.from(`--guid-1\r\n${headers}\r\n\r\n`),
    content,
    Buffer.from("\r\n--guid-1--\r\n"),
  ]);
}

async function readAll(body: Uint8Array, type: string | undefined, size = 4096): Promise<Buffer> {
  const pieces = async function* () {
    for (let offset = 0; offset < body.length; offset += size)
      yield body.subarray(offset, offset + size);
  };
  return Buffer.concat(await Array.fromAsync(packageBytes(pieces(), type)));
}

test.each([
  ["a line end of LF after the last boundary", "\r\n--guid-1--\n"],
  ["LF before and after the last boundary, as Paket on Linux", "\n--guid-1--\n"],
  ["LF before the last boundary only", "\n--guid-1--"],
])("reads a form with %s", async (_, end) => {
  const body = Buffer.concat([
    Buffer.from(`--guid-1\r\n${CLIENT_HEADERS}\r\n\r\n`),
    CONTENT,
    Buffer.from(end),
  ]);
  for (const size of [1_000_000, 1, 7]) {
    const read = await readAll(body, "multipart/form-data; boundary=guid-1", size);
    expect(read.equals(CONTENT)).toBe(true);
  }
});
