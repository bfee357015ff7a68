import { expect, test } from "vitest";
import { readDer } from "../der/reader.ts";
import { encodeName, formatName, parseName } from "./distinguished-name.ts";

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
