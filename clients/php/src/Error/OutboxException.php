<?php

namespace Tillseal\Error;

/** The outbox's file cannot be read or written. Thrown by `sell`: nothing was sent, unless the file was lost or the sale discarded meanwhile. */
final class OutboxException extends TillsealException
{
    /**
     * @internal
     * @param bool $isFileLost it was deleted, replaced or damaged, and what was written with it
     * @param bool $isOfCommit the commit failed, and may have been done nevertheless
     */
    public function __construct(string $message, public readonly bool $isFileLost = false, public readonly bool $isOfCommit = false)
    {
        parent::__construct($message);
    }
}
