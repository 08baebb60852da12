import { readFile } from 'node:fs/promises';
import subsetFont from 'subset-font';
import { charactersOf } from '../core/columns.ts';
import { isReadEverywhere, PAGE_FONT, PAGE_SIGNS } from '../core/page-font.ts';
import { candidateFiles, type FontFile, regionsOf, withTheirParts } from './script-fonts.ts';

/**
 * The style that brings a page the letters its reader's machine may lack: cut out, and inside the page itself. Signs made of
 * a digit (`1️⃣`) have a name of their own, which comes last: digits elsewhere stay the reader's.
 */
export async function htmlFonts(texts: readonly string[]): Promise<string> {
  const characters = [...new Set(texts.flatMap(charactersOf))].filter((character) => !isReadEverywhere(character));
  const [signs, letters] = [characters.filter(hasDigit), characters.filter((character) => !hasDigit(character))];
  const regions = regionsOf(characters);
  const faces = [...(await facesOf(PAGE_FONT, letters, regions)), ...(await facesOf(PAGE_SIGNS, signs, regions))];
  return faces.join('\n');
}

const hasDigit = (character: string): boolean => /[\x20-\x7e]/.test(character);

async function facesOf(name: string, characters: readonly string[], regions: readonly string[]): Promise<string[]> {
  const files = Map.groupBy(characters, (character) => candidateFiles(character, regions)[0]);
  const faces: string[] = [];
  for (const [file, members] of files) {
    if (file !== undefined) faces.push(await faceOf(name, file, withTheirParts(members)));
  }
  return faces;
}

/** All say that they have both weights: a browser takes letters only from faces that agree. */
async function faceOf(name: string, file: FontFile, characters: string): Promise<string> {
  const font = await subsetFont(await readFile(file.path), characters, {
    targetFormat: 'woff2',
    variationAxes: file.isVariable ? { wght: { min: 400, max: 700 } } : {},
  });
  const points = [...new Set(characters)].map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16)}`);
  return `@font-face { font-family: "${name}"; font-weight: 400 700; unicode-range: ${points.join(',')}; src: url(data:font/woff2;base64,${font.toString('base64')}) format("woff2") }`;
}
