<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** A line in the middle of the journal is wrong: the disk is damaged. The file is left as it is. */
final class JournalDamaged extends OutboxError
{
    public function __construct(string $path, public readonly int $lineNumber)
    {
        parent::__construct(
            "$path: line $lineNumber does not match its checksum, and there are lines behind it. The disk is damaged; "
            . 'nothing was changed. Copy the file, then remove that line from it.',
        );
    }
}
