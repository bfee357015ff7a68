import type { RotatedCertificate } from "@sealhouse/repo-signing/feed";

const PINNED = "Clients that pin the certificate must trust the new one as well.";
/** The effect of a rotation at once on clients. */
const REFUSED_FOR_A_WHILE =
  "Clients keep the former list of certificates for up to half an hour. Until then those that " +
  "require signatures refuse packages signed with the new certificate (NU3034); " +
  "`dotnet nuget locals http-cache --clear` makes a client ask again.";

/** Returns what clients see of a rotation, and when. */
export function notesOf({ certificate, status, signsFrom }: RotatedCertificate): readonly string[] {
  const { subject, notAfter } = certificate;
  const [until, from] = [notAfter.toISOString().slice(0, 10), minuteOf(signsFrom)];
  switch (status) {
    case "prepared":
      return [
        `${subject} is listed now. All hosts sign with it from ${from}, until ${until}.`,
        PINNED,
      ];
    case "waiting":
      return [
        `${subject} is listed already. All hosts sign with it from ${from}, until ${until}.`,
        "To sign with it at once: sealhouse signing rotate --now",
      ];
    case "configured":
      return [
        `${subject} is listed now. Configure it on the hosts from ${from}, not before.`,
        PINNED,
      ];
    case "at-once":
      return [
        `${subject} signs from now on, until ${until}. Running hosts notice within a minute.`,
        REFUSED_FOR_A_WHILE,
        PINNED,
      ];
  }
}

/** Returns what clients would see of a rotation. */
export function plannedNotes({
  atOnce,
  resign: isResigned,
  signsFrom,
  left,
}: {
  readonly atOnce: boolean;
  readonly resign: boolean;
  readonly signsFrom: Date;
  readonly left: number;
}): readonly string[] {
  return [
    `Clients find a new certificate in the list now. It signs from ${minuteOf(signsFrom)}.`,
    ...(atOnce ? [REFUSED_FOR_A_WHILE] : []),
    PINNED,
    ...(isResigned ? ["All versions of older certificates are signed again."] : leftNotes(left)),
  ];
}

/** Returns what becomes of versions that an older certificate signed. */
export function leftNotes(left: number): readonly string[] {
  if (left === 0) return [];
  const versions = count(left, "version keeps", "versions keep");
  return [
    `${versions} the signature of an older certificate, which stays valid.`,
    "To sign them again once the new certificate signs: sealhouse signing resign",
  ];
}

/** Returns a number with its noun and verb. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16)}Z`;
}
