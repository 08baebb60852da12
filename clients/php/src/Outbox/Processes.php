<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

/**
 * Whether the holder of a lock lives.
 *
 * @internal
 */
final class Processes
{
    /** When a process started, as its system counts; "" if there is none, it has ended, or there is no /proc. */
    public static function startOf(int $pid): string
    {
        $text = (string) @file_get_contents("/proc/$pid/stat");
        // The name, field 2, is in brackets and may contain anything.
        $fields = explode(' ', substr($text, (int) strrpos($text, ')') + 2));
        return count($fields) < 20 || in_array($fields[0], ['Z', 'X'], true) ? '' : $fields[19];
    }

    /** Whether it is certain. The processes of another container ($init) cannot be seen from here. */
    public static function isDead(int $pid, string $start, string $init): bool
    {
        if ($start !== '' && $init !== '' && $init === self::startOf(1)) {
            return self::startOf($pid) !== $start;
        }
        if (!@file_exists('/proc/self') && function_exists('posix_kill')) {
            return !posix_kill($pid, 0) && posix_get_last_error() === 3; // No such process.
        }
        return false;
    }
}
