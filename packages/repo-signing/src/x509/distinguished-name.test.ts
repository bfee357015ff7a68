import { expect, test } from "vitest";
import { readDer, TAG } from "../der/reader.ts";
import { oid, printableString, sequence, sortedSet, utf8String } from "../der/writer.ts";
import { encodeName, formatName, isSameName, parseName } from "./distinguished-name.ts";

test.each([
  ["CN=Example", "CN=Example"],
  ["cn=Example,o=Acme,c=de", "CN=Example, O=Acme, C=DE"],
  ['CN="Acme, Inc."; O=Acme', 'CN="Acme, Inc.", O=Acme'],
  ['CN="say ""hi"""', 'CN="say ""hi"""'],
  ["CN=Grüße, ST=Bayern, L=München", "CN=Grüße, S=Bayern, L=München"],
  ["CN=a, OID.1.2.840.113549.1.9.1=a@b.test", "CN=a, E=a@b.test"],
  ["CN=a, OID.2.5.4.99=x, DC=test", "CN=a, OID.2.5.4.99=x, DC=test"],
])("the name %s is shown as .NET shows it", (text, shown) => {
  expect(formatName(readDer(encodeName(parseName(text))))).toBe(shown);
});

test.each(["", "Example", "CN=", "CN=a, ZZ=b", "C=Germany", "CN=a,,O=b", 'CN="a', "CN=a+O=b"])(
  "“%s” is refused as a name",
  (text) => {
    expect(() => parseName(text)).toThrow(RangeError);
  },
);

test.each([
  ["as a printable string", (text: string) => printableString(text), true],
  ["as UTF-8", (text: string) => utf8String(text), true],
  ["in capitals", (text: string) => utf8String(text.toUpperCase()), false],
])("a name that is written %s says the same: %#", (_how, encoded, isSame) => {
  const part = sortedSet(TAG.set, [sequence(oid("2.5.4.3"), encoded("Feed"))]);
  expect(isSameName(readDer(sequence(part)), parseName("CN=Feed"))).toBe(isSame);
});

test("a name with more parts, or several in one, is another name", () => {
  const attribute = (text: string) => sequence(oid("2.5.4.3"), utf8String(text));
  const several = sequence(sortedSet(TAG.set, [attribute("a"), attribute("b")]));
  expect(isSameName(readDer(several), parseName("CN=a"))).toBe(false);
  const more = encodeName(parseName("CN=a, O=b"));
  expect(isSameName(readDer(more), parseName("CN=a"))).toBe(false);
});
