<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** No answer came. Whether the request was carried out is unknown; sending a receipt again, unchanged, settles it. */
final class NoAnswer extends TillsealError
{
}
