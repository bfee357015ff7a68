import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  oneof,
  pre,
  record,
  string,
  uint8Array,
} from "fast-check";
import { expect, test } from "vitest";
import type { DocumentLimits } from "./document-scanner.ts";
import { readPublishDocument } from "./publish-document.ts";

const tarball = Buffer.from("a tarball, or at least some bytes");
const base64 = tarball.toString("base64");

test.each([
  ["behind the metadata", `{"name":"a","_attachments":{"a.tgz":{"data":"${base64}"}}}`],
  ["before the metadata", `{"_attachments":{"a.tgz":{"data":"${base64}"}},"name":"a"}`],
  ["with white space", `{ "name" : "a",\n"_attachments"\t: {"a.tgz":\r\n{ "data" : "${base64}"}}}`],
  [
    "with an escaped key",
    `{"name":"a","\\u005fattachments":{"a.t\\u0067z":{"d\\u0061ta":"${base64}"}}}`,
  ],
  ["with escaped text", `{"name":"a","_attachments":{"a.tgz":{"data":"${escaped(base64)}"}}}`],
])("finds the tarball %s, wherever the body is cut", async (_, text) => {
  for (let index = 0; index <= text.length; index += 1) {
    const read = await readAll([text.slice(0, index), text.slice(index)]);
    expect(read.tarball).toEqual(tarball);
    expect(read.metadata).toEqual({ name: "a", _attachments: { "a.tgz": { data: "" } } });
  }
  expect((await readAll(text.split(""))).tarball).toEqual(tarball);
});

test.each([
  ["in a readme", { readme: `"_attachments":{"a.tgz":{"data":"${base64}"}}` }],
  ["one level too deep", { versions: { _attachments: { "a.tgz": { data: base64 } } } }],
  ["one level too high", { _attachments: "a.tgz", data: base64 }],
  ["in an array", { list: [{ _attachments: [{ data: base64 }] }] }],
  ["in an array of attachments", { _attachments: [{ data: base64 }, { "a.tgz": { data: "x" } }] }],
  ["deeper than the data", { _attachments: { "a.tgz": { data: { data: [base64] } } } }],
  ["under another key", { _attachments: { "a.tgz": { dats: base64, "data ": "x" } } }],
  ["as a key", { _attachments: { "a.tgz": { x: { data: base64 }, [base64]: "data" } } }],
  ["in a provenance bundle", { _attachments: { "a.sigstore": { data: '{"a":"b"}' } } }],
])("takes nothing for a tarball that stands %s", async (_, document) => {
  const read = await readAll([JSON.stringify(document)]);
  expect(read.tarball).toBeUndefined();
  expect(read.metadata).toEqual(document);
});

test("reads what JSON.parse reads, for any document, layout and chunking", async () => {
  const word = constantFrom(
    "_attachments",
    "data",
    "a.tgz",
    "b.sigstore",
    'q"\\',
    "\u20ac",
    "{[,:",
  );
  const values = oneof(jsonValue(), word, dictionary(oneof(word, string()), jsonValue()));
  const documents = record({
    head: dictionary(oneof(constantFrom("data", "a.tgz", 'x"'), string()), values),
    tail: dictionary(constantFrom("versions", "readme", "users"), values),
    extra: dictionary(constantFrom("length", "content_type", 'odd"key'), values),
    bytes: uint8Array({ maxLength: 400 }),
  });
  const layout = record({
    indent: integer({ min: 0, max: 3 }),
    ascii: boolean(),
    cuts: array(integer({ min: 1, max: 60 }), { maxLength: 30 }),
  });

  await assert(
    asyncProperty(
      documents,
      layout,
      async ({ head, tail, extra, bytes }, { indent, ascii, cuts }) => {
        delete head["_attachments"];
        const data = Buffer.from(bytes).toString("base64");
        const document = { ...head, _attachments: { "a.tgz": { ...extra, data } }, ...tail };
        const json = JSON.stringify(document, undefined, indent);
        pre(!json.includes("__proto__")); // refused, see below
        const text = ascii ? json.replaceAll("/", "\\/") : json;
        const read = await readAll(cut(Buffer.from(text), cuts));
        expect(read.tarball).toEqual(Buffer.from(bytes));
        const bare = { ...head, _attachments: { "a.tgz": { ...extra, data: "" } }, ...tail };
        expect(read.metadata).toEqual(JSON.parse(JSON.stringify(bare)));
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ["nothing", ""],
  ["no object", "[]"],
  ["null", "null"],
  ["a text that ends early", '{"name":"a"'],
  ["something behind the document", '{"name":"a"} x'],
  ["a raw control character", '{"name":"a\n"}'],
  ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["too many closing brackets", '}}}{"a":1}'],
  ["a broken escape in a key", '{"a\\q":1}'],
  ["a tarball that ends early", '{"_attachments":{"a.tgz":{"data":"AAAA'],
  ["base64 that is cut", '{"_attachments":{"a.tgz":{"data":"AAAAA"}}}'],
  ["garbage in the base64", '{"_attachments":{"a.tgz":{"data":"AA*A"}}}'],
  ["a quote in the base64", '{"_attachments":{"a.tgz":{"data":"AAA\\"AAAA"}}}'],
  ["an escape that is none", '{"_attachments":{"a.tgz":{"data":"AAA\\xAAAA"}}}'],
  ["an escape without its end", '{"_attachments":{"a.tgz":{"data":"AAAA\\u00"}}}'],
  ["two tarballs", '{"_attachments":{"a.tgz":{"data":"AAAA"},"b.tgz":{"data":"AAAA"}}}'],
  ["two texts of one tarball", '{"_attachments":{"a.tgz":{"data":"AAAA","data":"AAAA"}}}'],
  ["an attachment twice", '{"_attachments":{"a.tgz":{"data":"AAAA"},"a.tgz":{}}}'],
  ["_attachments twice", '{"_attachments":{"a.tgz":{"data":"AAAA"}},"_attachments":{}}'],
  ["three attachments", '{"_attachments":{"a.tgz":{},"b.tgz":{},"c.sigstore":{}}}'],
  ["a foreign attachment", '{"_attachments":{"a.zip":{}}}'],
  ["65 levels", `${"[".repeat(65)}${"]".repeat(65)}`],
  ["a million levels", "[".repeat(1_000_000)],
])("refuses %s", async (_, text) => {
  await expect(readAll([text])).rejects.toMatchObject({ code: "document-invalid", status: 400 });
});

test("refuses more metadata than the limit, however long the tarball may be", async () => {
  const limits = { metadataBytes: 1000, depth: 64, attachments: 2 };
  const long = Buffer.alloc(30_000).toString("base64");
  const fits = `{"_attachments":{"a.tgz":{"data":"${long}"}}}`;
  expect((await readAll([fits], limits)).tarball).toHaveLength(30_000);
  const tooLong = JSON.stringify({ readme: "x".repeat(1000) });
  for (const chunks of [[tooLong], tooLong.split("")]) {
    await expect(readAll(chunks, limits)).rejects.toMatchObject({ code: "too-large" });
  }
});

test.each([
  '{"__proto__":{"polluted":true}}',
  '{"versions":{"1.0.0":{"a":[null,{"__proto__":{}}]}}}',
  '{"a":{"\\u005f_proto\\u005F_":1}}',
])("refuses the key __proto__ in %s", async (text) => {
  await expect(readAll([text])).rejects.toMatchObject({
    code: "document-invalid",
    message: 'The body has the key "__proto__".',
  });
});

test("accepts __proto__ in text that is not a key", async () => {
  const { metadata } = await readAll(['{"readme":"\\u005f \\"__proto__\\": __proto__"}']);
  expect(metadata).toEqual({ readme: '_ "__proto__": __proto__' });
});

test("reads on in the body only when the reader of the tarball asks for more", async () => {
  let chunkCount = 0;
  const body = async function* () {
    yield Buffer.from('{"_attachments":{"a.tgz":{"data":"');
    for (; chunkCount < 100; chunkCount += 1) yield Buffer.from("AAAA".repeat(1000));
    yield Buffer.from('"}}}');
  };
  const seen: number[] = [];
  await readPublishDocument(body(), async (bytes) => {
    for await (const _ of bytes) seen.push(chunkCount);
  });
  expect(seen).toHaveLength(101);
  for (const [index, count] of seen.slice(0, 100).entries())
    expect(count).toBeLessThanOrEqual(index + 1);
});

test("lets go of the body when the tarball's reader fails", async () => {
  let isClosed = false;
  const body = async function* () {
    try {
      yield Buffer.from('{"_attachments":{"a.tgz":{"data":"AAAA');
      yield Buffer.from('AAAA"}}}');
    } finally {
      isClosed = true;
    }
  };
  const failing = readPublishDocument(body(), async (bytes) => {
    for await (const _ of bytes) throw new Error("disk full");
  });
  await expect(failing).rejects.toThrow("disk full");
  expect(isClosed).toBe(true);
});

async function readAll(chunks: readonly (string | Uint8Array)[], limits?: DocumentLimits) {
  const pieces: Uint8Array[] = [];
  let seen = false;
  const metadata = await readPublishDocument(
    streamOf(chunks),
    async (bytes) => {
      seen = true;
      for await (const piece of bytes) pieces.push(piece);
    },
    limits,
  );
  return { metadata, tarball: seen ? Buffer.concat(pieces) : undefined };
}

async function* streamOf(chunks: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

function cut(bytes: Buffer, lengths: readonly number[]): readonly Uint8Array[] {
  let offset = 0;
  const cutOff = lengths.map((length) => bytes.subarray(offset, (offset += length)));
  return [...cutOff, bytes.subarray(offset)];
}

/** Every second character as an escape. */
function escaped(text: string): string {
  return text
    .split("")
    .map((char, index) => {
      if (char === "/") return "\\/";
      return index % 2 ? char : `\\u00${char.charCodeAt(0).toString(16)}`;
    })
    .join("");
}
