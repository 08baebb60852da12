<?php

namespace Tillseal\Error;

/** None came, or not Tillseal's: send the same again. Whether it arrived is unknown, and does not matter. */
final class NoAnswerException extends TillsealException {}
