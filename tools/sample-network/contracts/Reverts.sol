// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Fails in every way that a contract can.
contract Reverts {
    error Custom(uint256 code, string text);

    enum Side {
        Left,
        Right
    }

    uint256[] private list;
    bytes private text;

    function withReason() external pure {
        revert("the reason");
    }

    function withEmptyReason() external pure {
        revert("");
    }

    function withoutReason() external pure {
        revert();
    }

    function withCustomError() external pure {
        revert Custom(42, "details");
    }

    function withRawData() external pure {
        assembly {
            mstore(0, hex"deadbeef")
            revert(0, 4)
        }
    }

    function byAssert() external pure {
        assert(false);
    }

    function byOverflow(uint256 value) external pure returns (uint256) {
        return type(uint256).max + value;
    }

    function byDivision(uint256 value) external pure returns (uint256) {
        return 1 / value;
    }

    function byIndex(uint256 index) external view returns (uint256) {
        return list[index];
    }

    function byPop() external {
        list.pop();
    }

    function byConversion(uint256 value) external pure returns (Side) {
        return Side(value);
    }

    function byEncoding() external returns (uint256) {
        assembly {
            sstore(text.slot, 1)
        }
        return text.length;
    }

    function byAllocation(uint256 length) external pure returns (uint256) {
        return new uint256[](length).length;
    }

    function byFunctionPointer() external pure {
        function() internal pure pointer;
        pointer();
    }

    /// What another contract gave as its reason is passed on.
    function inNestedCall() external view {
        this.withReason();
    }

    function byInvalidOpcode() external pure {
        assembly {
            invalid()
        }
    }
}
