import { CutFont } from './cut-font.ts';
import { OWN_LETTERS } from './fonts.ts';
import { candidateFiles, type FontFile, withTheirParts } from './script-fonts.ts';

export type CutFonts = ReadonlyMap<string, { readonly regular: CutFont; readonly bold: CutFont | undefined }>;

/**
 * For each character the font that has it, cut to what is needed. What none has is not in the result. `own` is for letters
 * with marks that no single character stands for: they have to be shaped as well.
 */
export async function cutFonts(
  characters: ReadonlySet<string>,
  boldCharacters: ReadonlySet<string>,
  own: FontFile,
): Promise<CutFonts> {
  const found = new Map<string, { regular: CutFont; bold: CutFont | undefined }>();
  let left = [...characters].map((character) => ({
    character,
    files: [...(OWN_LETTERS.test(character) ? [own] : []), ...candidateFiles(character)],
  }));
  // The lists of what a file holds are those of its makers; if a character is missing anyway, the next file is tried.
  while (left.length > 0) {
    const again: typeof left = [];
    for (const [file, members] of Map.groupBy(left, ({ files }) => files[0])) {
      if (file === undefined) continue;
      const group = members.map(({ character }) => character);
      const [regular, bold] = [
        await cut(file, group),
        await cut(
          file,
          group.filter((one) => boldCharacters.has(one)),
          'bold',
        ),
      ];
      for (const { character, files } of members) {
        if (regular?.has(character))
          found.set(character, { regular, bold: boldCharacters.has(character) ? bold : undefined });
        else again.push({ character, files: files.slice(1) });
      }
    }
    left = again;
  }
  return found;
}

async function cut(file: FontFile, characters: readonly string[], weight: 'regular' | 'bold' = 'regular') {
  return characters.length === 0 ? undefined : CutFont.cut(file, withTheirParts(characters), weight);
}
