/** What a licence asks of who sells a product with it in. Whatever is not named here is not taken. */
export const CONDITIONS: Readonly<Record<string, string>> = {
  '0BSD': 'none',
  'Apache-2.0': 'keep the notice; grants patents',
  'BSD-2-Clause': 'keep the notice',
  'BSD-3-Clause': 'keep the notice; no use of the names',
  'Bitstream-Vera': 'keep the notice; the font is not sold by itself',
  'BlueOak-1.0.0': 'keep the notice',
  'CC0-1.0': 'none',
  ISC: 'keep the notice',
  MIT: 'keep the notice',
  'MIT-0': 'none',
  'MPL-2.0': 'keep the notice; changes of its own files stay open, the rest of the product does not have to',
  'OFL-1.1': 'keep the notice; the font is not sold by itself',
  PostgreSQL: 'keep the notice',
  'Python-2.0': 'keep the notice',
  Unlicense: 'none',
  Zlib: 'keep the notice in the source',
};

/** The licences of an SPDX expression that are used: one of those joined by OR, all of those joined by AND. */
export function licencesOf(expression: string): string[] | undefined {
  const plain = expression.replaceAll(/[()]/g, '').trim();
  const alternatives = plain.split(/ OR /i).map((part) => part.split(/ AND /i).map((name) => name.trim()));
  return alternatives.find((names) => names.every((name) => name in CONDITIONS));
}

/** Known by their words, for packages that name none of their own. */
const TEXTS: readonly (readonly [string, RegExp])[] = [
  ['MIT', /Permission is hereby granted, free of charge, to any person obtaining a copy of this software/],
  ['Bitstream-Vera', /Bitstream Vera Fonts Copyright.*Permission is hereby granted, free of charge/],
  ['ISC', /Permission to use, copy, modify, and\/or distribute this software for any purpose with or without fee/],
  ['Apache-2.0', /Apache License\s+Version 2\.0/],
];

export function licenceByText(text: string): string | undefined {
  const oneLine = text.replaceAll(/\s+/g, ' ');
  return TEXTS.find(([, words]) => words.test(oneLine))?.[0];
}
