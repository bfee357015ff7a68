import { OID } from "../der/oid.ts";
import { forgeIdentity } from "./forge-certificate.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const now = Math.floor(Date.now() / 1000) * 1000;
export const days = (count: number) => new Date(now + count * DAY_MS);
export const seconds = (count: number) => new Date(now + count * 1000);

export const author = forgeIdentity({ name: "Forged Author", key: "author" });
export const repository = forgeIdentity({ name: "Forged Repository" });
export const other = forgeIdentity({ name: "Forged Second Repository" });
const root = forgeIdentity({ name: "Forged Root", isAuthority: true, usage: [], key: "issuer" });
const foreignRoot = forgeIdentity({
  name: "Forged Foreign Root",
  isAuthority: true,
  usage: [],
  key: "issuer",
});
export const middle = forgeIdentity({
  name: "Forged Middle",
  key: "issuer",
  isAuthority: true,
  usage: [],
  issuer: root,
});
const noAuthority = forgeIdentity({
  name: "Forged No Authority",
  usage: [],
  key: "issuer",
  issuer: root,
});
const timeUsage = { usage: [OID.timeStamping], isCritical: true };
export const authority = forgeIdentity({
  name: "Forged Time",
  notBefore: days(-300),
  ...timeUsage,
});
export const short = forgeIdentity({ name: "Forged Short Key", bits: 1024 });
export const future = forgeIdentity({ name: "Forged Future", notBefore: days(2) });
export const anyPurpose = forgeIdentity({ name: "Forged Any Purpose", usage: [] });
export const asAuthority = forgeIdentity({ name: "Forged Authority", isAuthority: true });
export const expired = forgeIdentity({
  name: "Forged Expired",
  key: "author",
  notBefore: days(-100),
  notAfter: days(-10),
});
export const longStanding = forgeIdentity({ name: "Forged Long", notBefore: days(-300) });
export const fresh = forgeIdentity({ name: "Forged Fresh", notBefore: seconds(-3600) });
export const timeShort = forgeIdentity({ name: "Forged Time Short", bits: 1024, ...timeUsage });
export const timeSha1 = forgeIdentity({ name: "Forged Time SHA-1", hash: "sha1", ...timeUsage });
export const timeFuture = forgeIdentity({
  name: "Forged Time Later",
  notBefore: days(2),
  ...timeUsage,
});
export const timeUntrusted = forgeIdentity({ name: "Forged Time Nobody", ...timeUsage });
export const timeWrongUsage = forgeIdentity({ name: "Forged Time Code", isCritical: true });

export const issued = forgeIdentity({ name: "Forged Issued", issuer: root });
export const issuedBelow = forgeIdentity({ name: "Forged Issued Below", issuer: middle });
export const issuedByNone = forgeIdentity({ name: "Forged By None", issuer: noAuthority });
export const issuedAbroad = forgeIdentity({
  name: "Forged Abroad",
  key: "author",
  issuer: foreignRoot,
});
export { foreignRoot, noAuthority };

/** Self-signed, every one of them; DER. */
export const forgedRoots: readonly Uint8Array[] = [
  author,
  repository,
  other,
  authority,
  short,
  future,
  anyPurpose,
  asAuthority,
  expired,
  fresh,
  longStanding,
  root,
  timeShort,
  timeSha1,
  timeFuture,
  timeWrongUsage,
].map(({ certificate }) => certificate.der);
