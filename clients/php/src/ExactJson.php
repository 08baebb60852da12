<?php

declare(strict_types=1);

namespace Tillseal;

/**
 * JSON whose decimals stay exact: text in PHP ("12.50"), because a float would change their digits. Whole numbers are int. Tillseal accepts
 * decimals as text, too, so requests and answers look the same.
 */
final class ExactJson
{
    private const FLAGS = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;

    public static function encode(mixed $value): string
    {
        if (is_array($value)) {
            array_walk_recursive($value, static function (mixed $item): void {
                if (is_float($item)) {
                    throw new \InvalidArgumentException("$item is a float and not exact: write amounts as '12.50'");
                }
            });
        }
        return json_encode($value, self::FLAGS);
    }

    public static function decode(string $json): mixed
    {
        // Quotes the numbers that json_decode would turn into floats. Strings are matched, too, so that numbers inside them are not.
        $quoted = preg_replace_callback(
            '/"(?:[^"\\\\]++|\\\\.)*+"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/s',
            static fn (array $found) => strpbrk($found[0], '".eE') === false || $found[0][0] === '"'
                ? $found[0]
                : "\"$found[0]\"",
            $json,
        );
        return json_decode($quoted ?? $json, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }
}
