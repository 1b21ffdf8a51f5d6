// Offsets from UTC as exports write them: -07:00, UTC+1, CEST.

/** Offsets in minutes that letters behind a time say. Some mean others elsewhere. */
export const zone_marks: Readonly<Record<string, number>> = {
  ...{ Z: 0, UTC: 0, GMT: 0, WET: 0, WEST: 60, BST: 60, CET: 60, MEZ: 60, CEST: 120, MESZ: 120 },
  ...{ EET: 120, EEST: 180, MSK: 180, JST: 540, KST: 540, SAST: 120, AWST: 480, ACST: 570 },
  ...{ ACDT: 630, AEST: 600, AEDT: 660, NZST: 720, NZDT: 780, HST: -600, AKST: -540, AKDT: -480 },
  ...{ PST: -480, PDT: -420, MST: -420, MDT: -360, CST: -360, CDT: -300, EST: -300, EDT: -240 },
};

/** Minutes east of UTC of `Z`, `CEST`, `UTC+01`, `-07:00` or `-0700`. */
export function offsetMinutes(text: string): number {
  const match = /([+-])(\d{1,2})(?::?(\d\d))?$/.exec(text);
  if (!match) return zone_marks[text] ?? 0;
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0));
}

/** An offset in minutes as `-07:00`. */
export function offsetText(minutes: number): string {
  const pad = (value: number) => String(value).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

/** The offset in minutes that a header says of its times: `Time (UTC+1)`, `MST`; else undefined. */
export function announcedOffset(header: string): number | undefined {
  const [, text] = /(?:^|[^A-Za-z])((?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d\d)?)(?!\d)/.exec(header) ?? [];
  if (text !== undefined) {
    return offsetMinutes(text.replace(/\s/g, ""));
  }
  const words = header.split(/[^A-Za-z]+/).filter((it) => it.length > 1);
  // As a whole, or in brackets or behind a line: "West" alone is no zone, "WEST" may be.
  const [mark] = words.filter((it) =>
    it.toUpperCase() in zone_marks && (it === it.toUpperCase() || /^(utc|gmt)$/i.test(it))
  );
  return mark === undefined ? undefined : zone_marks[mark.toUpperCase()];
}

/** The letters of a zone behind a time, if there are any. */
export function zoneMark(text: string): string | undefined {
  const [, mark] = /[\d ]([A-Z]{3,5})$/.exec(text) ?? [];
  return mark !== undefined && mark in zone_marks ? mark : undefined;
}
