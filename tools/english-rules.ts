// Words and phrases that make our texts hard to read, with the reason and what to write instead.
// docs/style.md explains them.
import type { TextKind } from "./english-texts.ts";

export type EnglishRule = {
  readonly id: string;
  /** `error`: fails the check. `warn`: the number of hits may only fall. */
  readonly level: "error" | "warn";
  readonly pattern: RegExp;
  /** The rule applies only to this kind of text. */
  readonly kind?: TextKind;
  readonly why: string;
  readonly instead: string;
};

export const ENGLISH_RULES: readonly EnglishRule[] = [
  {
    id: "is-no",
    level: "error",
    pattern:
      /(?<!\b(?:there|here) )\b(?:is|are|was|were) no (?!longer\b|more\b|good\b|less\b|such\b|need\b|\w+er\b)\S+/gi,
    why: "Negates the object instead of the verb.",
    instead: "is not a/an …",
  },
  {
    id: "whoever",
    level: "error",
    pattern: /\b[Ww]ho(?:m)?ever\b/gi,
    why: "Hides the actor.",
    instead:
      "Name the actor: the client, the caller, an administrator, the publisher, the implementer.",
  },
  {
    id: "nobody",
    level: "error",
    pattern: /\b[Nn]obody\b/gi,
    why: "Hides the actor; often stands for a missing row or an anonymous request.",
    instead:
      "no client, no row, anonymous, unknown; or say what happens: is not deleted, has expired.",
  },
  {
    id: "somebody",
    level: "error",
    pattern: /\b(?:[Ss]ome|[Ee]very|[Aa]ny)body\b/gi,
    why: "Hides the actor.",
    instead: "another client, a user, all users, everyone (only on pages).",
  },
  {
    id: "told",
    level: "error",
    pattern: /\b(?:is|are|was|were|be|been|being) told\b/gi,
    why: "Says neither how nor to whom.",
    instead: "is logged, is reported, is returned, is shown, receives.",
  },
  {
    id: "tells",
    level: "error",
    pattern: /\b[Tt]ells? (?:of|apart|who|whom|what|how|whether|which|where|why|it|them|that)\b/gi,
    why: "As above, and often a pun on reporting.",
    instead: "reports, returns, shows, lists; distinguishes (tells apart).",
  },
  {
    id: "says-what",
    level: "warn",
    pattern: /\b(?:[Ss]ays?|[Ss]aid) (?:so|what|which|who|whom|how|where|why|whether|once)\b/gi,
    why: "Files, headers and rows do not speak.",
    instead: "names, states, contains, reports, prints, documents.",
  },
  {
    id: "it-says",
    level: "error",
    pattern: /(?:, it says\b|\b(?:is|are|was|were|be) said\b)/gi,
    why: "Riddle.",
    instead: "claims, declares, states; in labels: the noun alone (Built, Source).",
  },
  {
    id: "opens-with-clause",
    level: "warn",
    pattern: /^(?:What|Whom|Whose|Whatever|Of|That|Those|How)\b(?![^.]*\?)/gi,
    kind: "docstring",
    why: "A doc comment opens with a clause instead of the thing it describes.",
    instead:
      'Begin with a noun ("Totals of a package …") or a verb in the third person ("Returns …").',
  },
  {
    id: "what-is",
    level: "warn",
    pattern:
      /\bwhat (?:is|was|are|were) (?:not )?(?:here|there|left|so|said|asked|wanted|given|told|stored|kept|gone|meant|named|known)\b/gi,
    why: "Clause in place of a noun.",
    instead:
      "the existing packages, the remaining versions, the requested names, the stored blobs.",
  },
  {
    id: "or-none",
    level: "warn",
    pattern: /\b(?:which|that) (?:is|are) none\b|\bthere is none\b|\bor none\b/gi,
    why: "Pronoun without a noun.",
    instead: "Repeat the noun: when there is no certificate.",
  },
  {
    id: "also-when",
    level: "error",
    pattern: /\balso (?:when|where|if|without|while|after|before)\b/gi,
    why: "Not idiomatic.",
    instead: "even when, even if, including after; or a sentence of its own.",
  },
  {
    id: "any-more",
    level: "error",
    pattern:
      /\bany more\b(?=\s*(?:[.,;:)]|$|or\b|because\b))|\b(?:it|they|which|listed|shown|trusted) no more\b/gi,
    why: "Archaic order.",
    instead: "no longer + verb.",
  },
  {
    id: "for-ever",
    level: "error",
    pattern: /\bfor ever\b/gi,
    why: "British archaic; unclear for retention.",
    instead: "forever; permanently; with no expiry; never expires.",
  },
  {
    id: "anew",
    level: "error",
    pattern: /\banew\b/gi,
    why: "Archaic.",
    instead: "again; a new …",
  },
  {
    id: "meanwhile",
    level: "warn",
    pattern: /\bmeanwhile\b/gi,
    why: "Used for a concurrent change.",
    instead: "concurrently, since then, in the meantime; changed by another request.",
  },
  {
    id: "beside",
    level: "error",
    pattern: /\bbeside\b(?! the point)/gi,
    why: 'Means "next to"; used here for "besides", "while" and "compared with".',
    instead: "next to, in addition to, while … runs, alongside, compared with.",
  },
  {
    id: "leads-to",
    level: "error",
    pattern: /\b(?:leads?|led) to\b(?! (?:an? (?:error|fail|loss|dead)|more|fewer|wrong))/gi,
    why: "Tags, links and names point or resolve.",
    instead: "points to, resolves to, links to.",
  },
  {
    id: "stands",
    level: "error",
    pattern:
      /\bst(?:ands?|ood) (?:in|for|at|below|there|between|beside|still|behind|before|on|under|where|twice|up)\b/gi,
    why: "Things do not stand.",
    instead: "is, is listed, appears; represents (stands for); is idle (stands still).",
  },
  {
    id: "look-after",
    level: "error",
    pattern: /\blooks? after\b/gi,
    why: "Vague verb.",
    instead: "manage, list, rotate, delete: the verb of the action.",
  },
  {
    id: "take-over",
    level: "error",
    pattern: /\b(?:take[sn]?|taking) over\b/gi,
    why: "Wrong for imports; right only for leases.",
    instead: "import, copy; acquire (a lease).",
  },
  {
    id: "vouch",
    level: "error",
    pattern: /\bvouch(?:es|ed)?\b/gi,
    why: "Not a signing term.",
    instead: "signs, has signed, is in use by N packages.",
  },
  {
    id: "would-go",
    level: "error",
    pattern: /\b(?:would|will|may) go\b(?! (?:back|through|on|to)\b)/gi,
    why: "Says neither delete nor unlist.",
    instead: "would be deleted, would be unlisted, expires.",
  },
  {
    id: "goes-on",
    level: "error",
    pattern: /\b(?:goes|go|went|going) on\b(?! to\b)/gi,
    why: "Not idiomatic.",
    instead: "continues, resumes, runs.",
  },
  {
    id: "so-many",
    level: "warn",
    pattern: /\b(?<!\b(?:not|has|are) )so (?:many|much|long)\b(?! (?:as|that|for)\b)/gi,
    why: "A quantity without a number.",
    instead: "Name the parameter: at most `limit` rows, for `waitMs`.",
  },
  {
    id: "of-its-own",
    level: "warn",
    pattern: /\bof (?:its|their|your|our|my|one's) own\b/gi,
    why: "Clumsy.",
    instead: "its own …, a separate …, your own …",
  },
  {
    id: "as-it-is",
    level: "warn",
    pattern: /\bas (?:it|they) (?:is|are|was|were|came|stands?)\b/gi,
    why: "Vague.",
    instead: "unchanged, verbatim, in its original order.",
  },
  {
    id: "pass-over",
    level: "error",
    pattern: /(?<!the )\bpass(?:es|ed)? over\b/gi,
    why: "Archaic.",
    instead: "skips, ignores.",
  },
  {
    id: "in-the-place-of",
    level: "error",
    pattern: /\bin the place of\b/gi,
    why: "Archaic.",
    instead: "instead of; replaces.",
  },
  {
    id: "at-hand",
    level: "error",
    pattern: /\bat hand\b/gi,
    why: "Vague.",
    instead: "available; cached; in memory.",
  },
  {
    id: "let-in",
    level: "error",
    pattern: /\blets? in\b|\blet through\b/gi,
    why: "Folksy.",
    instead: "authorized, signed in, allowed.",
  },
  {
    id: "is-out",
    level: "error",
    pattern:
      /\b(?:vault|services?|servers?|KMS|HSM|storage|stamps?|upstream) (?:is|are|was|were) out\b/gi,
    why: "Ambiguous.",
    instead: "is unavailable, cannot be reached.",
  },
  {
    id: "is-good",
    level: "error",
    pattern: /\b(?<!\bwhat it )(?:is|are|was|were) good\b/gi,
    why: "Says not in what way.",
    instead: "is valid (until …), passes verification.",
  },
  {
    id: "whole",
    level: "warn",
    pattern:
      /\b(?:comes?|came|read|removed|unpublished|kept|visible|served|given) whole\b|\bor (?:not )?whole\b|\bis whole\b/gi,
    why: "Adjective as adverb.",
    instead: "completely; intact; in one piece.",
  },
  {
    id: "break-off",
    level: "error",
    pattern: /\bbr(?:eaks?|oke|oken) off\b/gi,
    why: "Not idiomatic.",
    instead: "ends early, is interrupted, is truncated.",
  },
  {
    id: "take-away",
    level: "error",
    pattern: /\b(?:tak(?:e|es|en|ing)|took) away\b|\bg(?:ives?|ave|iven) out\b/gi,
    why: "Not idiomatic.",
    instead: "removes, revokes; issues, publishes.",
  },
  {
    id: "under-way",
    level: "error",
    pattern: /\bunder way\b|\binto use\b/gi,
    why: "Vague.",
    instead: "running, in progress; activates, starts to use.",
  },
  {
    id: "without-script",
    level: "error",
    pattern: /\bwithout script\b/gi,
    why: "Not the term.",
    instead: "without JavaScript.",
  },
  {
    id: "today",
    level: "error",
    pattern: /\b(?:today's (?:key|certificate|ones?)|of today\b)/gi,
    why: "A relative time in a text that lasts.",
    instead: "current, active.",
  },
  {
    id: "for-programs",
    level: "error",
    pattern: /\bfor programs\b/gi,
    why: "Cute.",
    instead: "as JSON, machine-readable.",
  },
  {
    id: "to-be-had",
    level: "error",
    pattern: /\b(?:cannot be|to be|could be|had) had\b/gi,
    why: "Archaic.",
    instead: "is not available, can be obtained.",
  },
  {
    id: "timestamp",
    level: "error",
    pattern: /\btime-stamp(?!(?:ing)? protocol)|\btime-outs?\b|\blook-ups?\b/gi,
    why: "The field writes one word.",
    instead: "timestamp, timeout, lookup.",
  },
  {
    id: "burnt",
    level: "error",
    pattern: /\bburn(?:t|ed)\b/gi,
    why: "Slang.",
    instead: "unpublished; the version number cannot be reused.",
  },
  {
    id: "mortal",
    level: "warn",
    pattern: /\b(?:dies?|died|dying|doomed|bury|buried)\b(?! (?:in|of) the)/gi,
    why: "Metaphor.",
    instead: "expires, is revoked, is being deleted.",
  },
  {
    id: "house",
    level: "error",
    pattern: /\b(?:the|of the|this|our) house\b|\bhouse rules\b/gi,
    why: "Private metaphor.",
    instead: "the project, the architecture, project conventions.",
  },
];
